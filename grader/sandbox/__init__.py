"""The sandbox: student code runs in workers that can neither read an answer nor write a verdict."""
