//! What the renderers of pleach share: reflectance, environment maps, punctual lights, exposure and
//! tone mapping.

#![forbid(unsafe_code)]
