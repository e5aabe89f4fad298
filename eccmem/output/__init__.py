"""Values to text: for people, for programs."""
