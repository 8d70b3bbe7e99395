"""From a folder to readable stage files, without ever writing to what the student wrote."""
