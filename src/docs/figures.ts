/**
 * The figures of the documentation that are settings: limits, budgets and caps. The files are built with a mark for
 * each, which the Worker replaces with the figure in force.
 */
import type { Config } from "../base/config/config";

import type { CapName } from "../base/limits/caps";
import { BUDGETS, type BudgetName, type RuleName } from "../base/limits/rules";

type Figures = Pick<Config, "rules" | "caps">;

interface Names {
  /** How many requests a rule allows. */
  limit: RuleName;
  /** The window of a rule in seconds. */
  window: RuleName;
  /** In the unit of its setting. */
  budget: BudgetName;
  cap: CapName;
}

/** In JSON, a mark that is a whole string stands for a number. */
const MARK = /"\{\{(limit|window|budget|cap):(\w+)\}\}"|\{\{(limit|window|budget|cap):(\w+)\}\}/g;

/** The mark of a figure, as text. */
export const mark = <Kind extends keyof Names>(kind: Kind, name: Names[Kind]): string => `{{${kind}:${name}}}`;

/** Leaves the marks out of `text`. */
export const withoutFigures = (text: string): string => text.replaceAll(MARK, "");

/** Replaces every mark in `text`. */
export const withFigures = (text: string, figures: Figures): string =>
  text.replaceAll(MARK, (_mark, quotedKind, quotedName, kind = quotedKind, name = quotedName) =>
    String(figureOf(kind, name, figures)),
  );

function figureOf(kind: keyof Names, name: string, { rules, caps }: Figures): number {
  switch (kind) {
    case "limit":
      return rules[name as RuleName].limit;
    case "window":
      return rules[name as RuleName].windowSeconds;
    case "budget":
      return rules[name as BudgetName].limit / BUDGETS[name as BudgetName].units;
    case "cap":
      return caps[name as CapName];
  }
}
