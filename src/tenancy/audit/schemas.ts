/** The audit log, as the API sends it. */
import * as z from "zod";
import { ACTION_GROUPS, ACTION_NAMES, ACTOR_KINDS, TARGET_KINDS } from "../../base/schemas/audit-actions";
import { described, id, moment, nextCursor, pageQuery, time } from "../../base/schemas/schemas";
import { lowerUuid } from "../../base/uuid";

const MAX_PAGE_ROWS = 200;
const MAX_NAME_CHARACTERS = 254;
/** Not only UUIDs: the ids of sources have another form. */
const MAX_ID_CHARACTERS = 64;

export const auditQuery = pageQuery("Events", MAX_PAGE_ROWS).extend({
  action: z
    .enum([...ACTION_NAMES, ...ACTION_GROUPS])
    .optional()
    .meta({ description: "One action, or all of a group: `webhook.*`.", examples: ["webhook.*"] }),
  actor: z
    .string()
    .min(1)
    .max(MAX_NAME_CHARACTERS)
    .overwrite(lowerUuid)
    .optional()
    .meta({
      description: "The id of a user or an API key, or the email address or name that it had.",
      examples: ["ada@example.com"],
    }),
  target: z
    .string()
    .min(1)
    .max(MAX_ID_CHARACTERS)
    .overwrite(lowerUuid)
    .optional()
    .meta({ description: "The id of what was changed.", examples: ["0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"] }),
  ip: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: "An address as events show it.", examples: ["203.0.113.7"] }),
  since: moment.optional().meta({ description: "Only events at this time or later." }),
  until: moment.optional().meta({ description: "Only events before this time." }),
});

export const exportQuery = auditQuery.pick({ since: true, until: true }).extend({
  format: z
    .enum(["ndjson", "csv"])
    .default("ndjson")
    .meta({ description: "NDJSON has one event a line.", examples: ["csv"] }),
});

export type ExportFormat = z.infer<typeof exportQuery>["format"];

const nullable = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });

const auditEvent = described("AuditEvent", "A change, who made it and from where.", () => ({
  id,
  at: time,
  action: z.string().meta({
    description: "Such as `webhook.created`. Later versions may have more of them.",
    examples: ["webhook.created"],
  }),
  actor: z
    .object({
      kind: z.enum(ACTOR_KINDS).meta({ examples: ["user"] }),
      id: nullable("Of the user, the key or the client.", "01928f5a-6c7e-7a3b-9d52-0f4b8c1e2d3a"),
      name: nullable(
        "The email address of the user or the name of the API key at that time. Null once a user is deleted.",
        "ada@example.com",
      ),
    })
    .meta({
      description:
        "Who did it. `operator` is somebody who operates this service; `system` is the service itself; " +
        "`anonymous` somebody who was not signed in.",
    }),
  target: z
    .object({
      kind: z.enum(TARGET_KINDS).meta({ examples: ["webhook"] }),
      id: z.string().meta({ examples: ["0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"] }),
    })
    .nullable()
    .meta({ description: "What was changed." }),
  ip: nullable("An IPv4 address or a /64 network.", "203.0.113.7"),
  userAgent: nullable("Its first 256 characters.", "Mozilla/5.0"),
  requestId: nullable(
    "The `X-Request-Id` of the request, but never one that the caller sent.",
    "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f",
  ),
  sessionId: nullable("The session that was used or ended.", "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"),
  meta: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({
      description: "More about the change: names of fields and values of enumerations.",
      examples: [{ changed: ["url"] }],
    }),
}));

export const auditPageBody = z.object({ data: z.array(auditEvent), nextCursor });
export const activity = z.array(auditEvent);

export type AuditEvent = z.infer<typeof auditEvent>;
