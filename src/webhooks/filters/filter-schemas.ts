/** A filter in a request. */
import * as z from "zod";
import { FilterRefused, parseFilter } from "./parse";

/** Reports what is wrong with a filter. Sees names that zod drops. */
function checkFilter(value: unknown, context: z.RefinementCtx): unknown {
  try {
    parseFilter(value);
  } catch (error) {
    if (!(error instanceof FilterRefused)) throw error;
    context.addIssue({ code: "custom", path: [...error.place], message: error.message });
  }
  return value;
}

export const filter = z.preprocess(checkFilter, z.record(z.string(), z.unknown()));
