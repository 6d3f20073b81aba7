"""Speed and memory against rivals; the main function of each module gives a Markdown table."""
