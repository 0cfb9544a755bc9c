"""From what judges say to the scores of a run: criteria, several judges, ties, comparisons."""
