//! A process that replies to lines of words: the workers of Bevy, and scripts. It keeps its scene
//! between requests and runs only while this process waits for a reply, so the rounds stay
//! interleaved.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct LineProcess {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl LineProcess {
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().expect("stdin is piped");
        let from = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Self { child, to, from })
    }

    pub fn send(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("the process is running");
    }

    /// Sends a line and returns the reply, a line.
    pub fn request(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the process is running");
        assert!(!answer.is_empty(), "the process has exited without a reply to `{line}`");
        answer
    }

    /// Reads bytes that follow a request.
    pub fn read_exact(&mut self, bytes: &mut [u8]) {
        self.from.read_exact(bytes).expect("the process is running");
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        // The process exits on `quit`; if the write fails, it has already exited.
        if writeln!(self.to, "quit").is_ok() {
            let _ = self.child.wait();
        }
    }
}
