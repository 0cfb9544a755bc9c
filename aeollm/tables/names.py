"""The official names of columns, views and measures."""

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
OVERALL = "overall"
MEASURES = ("spearman", "kendall", "accuracy")
PAIR_KINDS = ("concordant", "discordant", "tied_run", "tied_labels", "tied_both")
KEY_COLUMNS = ("taskId", "questionId", "answerId")
SCORE_SUFFIX = "_score"
