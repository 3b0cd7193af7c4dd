//! `ErrorScopes`: turns errors of the device into results.
//!
//! An error that no scope catches goes to the device's handler, which panics by default. So resources
//! are created within scopes, and commands that use them are recorded only if there was no error.
//!
//! On native platforms errors are known at once. In a browser they arrive later: there, a draw whose
//! resources could not be created is reported to the device's handler, which does not panic.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::Error;

/// Scopes for all kinds of errors.
#[derive(Debug)]
pub(crate) struct ErrorScopes {
    validation: wgpu::ErrorScopeGuard,
    out_of_memory: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
}

impl ErrorScopes {
    pub(crate) fn push(device: &wgpu::Device) -> Self {
        // Fields are popped in the reverse order.
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let out_of_memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        Self { validation, out_of_memory, internal }
    }

    /// Returns the first error since the scopes were pushed.
    pub(crate) fn pop(self) -> Result<(), Error> {
        let validation = ready(self.validation.pop());
        let out_of_memory = ready(self.out_of_memory.pop());
        let internal = ready(self.internal.pop());
        match out_of_memory.or(validation).or(internal) {
            None => Ok(()),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory),
            Some(error) => Err(Error::Device(error.to_string())),
        }
    }
}

/// Returns the error of a scope if it is known already.
fn ready(error: impl Future<Output = Option<wgpu::Error>>) -> Option<wgpu::Error> {
    match pin!(error).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}
