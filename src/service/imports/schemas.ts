/** Imports of people, as the API sends and receives them. */
import * as z from "zod";
import { described, id, name, nextCursor, pageLimit, pageQuery, time } from "../../base/schemas/schemas";
import { firebaseSettings } from "../../identity/passwords/imported/schemas";

const MAX_PAGE_IMPORTS = 100;
const MAX_PAGE_LINES = 2_000;
const MAX_PARTS = 1_000;
const LINES_SHOWN = 100;

const onExisting = z.enum(["skip", "update"]).meta({
  description: "What to do with people who have an account: nothing, or to complete it.",
  examples: ["skip"],
});
const dryRun = z
  .boolean()
  .meta({ description: "Only reports what would happen: nothing is written.", examples: [false] });

export const newImport = described("ImportInput", "An import of people to create.", () => ({
  name: name.optional(),
  dryRun: dryRun.default(false),
  onExisting: onExisting.default("skip"),
  hashSettings: z
    .strictObject({ firebase: firebaseSettings.optional() })
    .optional()
    .meta({ description: "What hashes of Firebase need: the project's password hash parameters." }),
}));

/** The query of a call that creates an import, sends its only part and starts it. */
export const wholeImportQuery = z.object({
  dryRun: z
    .enum(["true", "false", ""])
    .optional()
    .transform((text) => text !== undefined && text !== "false"),
  onExisting: onExisting.default("skip"),
});

const count = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [0] });

export const importRecord = described("Import", "An import of people, and how far it has come.", () => ({
  id,
  name: z
    .string()
    .optional()
    .meta({ examples: ["From Auth0"] }),
  dryRun,
  onExisting,
  state: z.enum(["open", "running", "finished", "stopped"]),
  rows: count("How many people the parts have."),
  done: count("How many of them are done."),
  created: count("How many accounts were made."),
  updated: count("How many accounts were completed."),
  skipped: count("How many accounts were left as they are."),
  refused: count("How many rows were refused."),
  withoutPassword: count("How many people have come without the password of their row: its hash is out of bounds."),
  waiting: count("How many people have an imported hash and have not signed in with it."),
  createdAt: time,
  startedAt: time.optional(),
  endedAt: time.optional(),
}));

export const importQuery = pageQuery("Imports", MAX_PAGE_IMPORTS);
export const importPage = z.object({ data: z.array(importRecord), nextCursor });

export const partNumber = z.coerce.number().int().min(1).max(MAX_PARTS);
export const partPath = z.object({
  n: z.string().meta({ description: `The number of the part, 1 to ${MAX_PARTS}.`, examples: ["1"] }),
});
export const storedPart = described("ImportPart", "A part that the service has.", () => ({
  part: z.int().meta({ examples: [1] }),
  rows: count("How many people it has."),
  bytes: count("Its size."),
}));

export const importStart = described("ImportStart", "How many parts the import has. All must have been sent.", () => ({
  parts: z
    .int()
    .min(1)
    .max(MAX_PARTS)
    .meta({ description: "How many parts there are.", examples: [1] }),
}));

const outcome = z.enum(["created", "updated", "skipped", "refused"]);

export const reportQuery = z.object({
  outcome: outcome.optional(),
  limit: pageLimit("Lines", MAX_PAGE_LINES, 500),
  cursor: z
    .string()
    .regex(/^\d{1,12}$/, "Must be the nextCursor of the previous answer")
    .optional()
    .meta({ description: "The `nextCursor` of the previous answer; opaque.", examples: ["500"] }),
});

/** The query of the console's page, whose form sends an empty text for all outcomes. */
export const shownReport = reportQuery.extend({
  outcome: z
    .literal("")
    .transform(() => undefined)
    .or(outcome)
    .optional(),
  limit: reportQuery.shape.limit.removeDefault().default(LINES_SHOWN),
});

const importedLine = described("ImportedLine", "What became of a line.", () => ({
  line: z.int().meta({ description: "The number of the line over all parts, from 1.", examples: [1] }),
  outcome,
  externalId: z
    .string()
    .optional()
    .meta({ examples: ["user-7"] }),
  email: z
    .string()
    .optional()
    .meta({ examples: ["ada@example.com"] }),
  userId: id.optional(),
  reason: z
    .string()
    .optional()
    .meta({
      description: "Why the row was skipped or refused, or why its password was left out.",
      examples: ["already exists"],
    }),
  ignored: z
    .array(z.string())
    .optional()
    .meta({
      description: "Members of the row that the service does not know, or has left out.",
      examples: [["metadata"]],
    }),
}));
export const reportPage = z.object({ data: z.array(importedLine), nextCursor });

export type NewImport = z.infer<typeof newImport>;
export type Import = z.infer<typeof importRecord>;
export type ImportedLine = z.infer<typeof importedLine>;
export type ImportQuery = z.infer<typeof importQuery>;
export type ReportQuery = z.infer<typeof reportQuery>;
export type LineOutcome = z.infer<typeof outcome>;
