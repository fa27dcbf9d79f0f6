# Fits ten designs with lme4 (Bates, Maechler, Bolker & Walker 2015) and writes what test_lme4_designs.py compares:
#   python tests/study/test_lme4_designs.py FOLDER && Rscript tests/study/lme4/fit.R FOLDER > tests/study/lme4/values.json
suppressMessages(library(lme4))
folder <- commandArgs(trailingOnly = TRUE)[1]
number <- function(x) paste(format(x, digits = 15, trim = TRUE, scientific = FALSE), collapse = ", ")
parts <- c()
for (file in sort(list.files(folder, pattern = "[.]csv$"))) {
  d <- read.csv(file.path(folder, file), colClasses = c(participant = "factor", item = "factor", cell = "factor"))
  name <- sub("[.]csv$", "", file)
  slopes <- strsplit(sub("^[^-]*-[^-]*-?", "", name), "-")[[1]]
  # One mean a cell; a slope is a deviation of each person (or item) in each cell.
  terms <- c("0 + cell", "(1 | participant)", "(1 | item)", sprintf("(1 | %s:cell)", slopes))
  formula <- as.formula(paste("y ~", paste(terms, collapse = " + ")))
  if (grepl("^[0-9]+-glmer", name)) {
    fit <- glmer(formula, d, family = binomial, control = glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e5)))
  } else {
    fit <- lmer(formula, d, REML = TRUE, control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5)))
  }
  cells <- paste0('"', sub("^cell", "", names(fixef(fit))), '"', collapse = ", ")
  rows <- apply(as.matrix(vcov(fit)), 1, function(row) paste0("[", number(row), "]"))
  parts <- c(parts, sprintf('"%s": {"cells": [%s], "means": [%s], "covariance": [%s], "log_likelihood": %s}',
    name, cells, number(fixef(fit)), paste(rows, collapse = ", "), number(as.numeric(logLik(fit)))))
}
cat(sprintf('{"lme4": "%s", "designs": {\n%s\n}}\n', packageVersion("lme4"), paste(parts, collapse = ",\n")))
