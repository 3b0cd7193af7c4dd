//! Formatting of numbers in tables and plots.

/// Formats a value with about three significant digits.
pub fn figure(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        ..0.1 => format!("{value:.3}"),
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        ..9_999.5 => format!("{value:.0}"),
        ..999_950.0 => format!("{:.1}k", value / 1e3),
        _ => format!("{:.1}M", value / 1e6),
    }
}

/// Formats the label of an axis tick.
pub fn tick(value: f64) -> String {
    match value {
        ..1e3 => format!("{value}"),
        ..1e6 => format!("{}k", value / 1e3),
        _ => format!("{}M", value / 1e6),
    }
}

/// Formats a number of nodes.
pub fn size(nodes: usize) -> String {
    match nodes {
        n if n % 1_000_000 == 0 => format!("{}M", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}
