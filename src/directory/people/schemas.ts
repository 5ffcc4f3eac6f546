/** People of a connection in requests and answers. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";

const states = z.enum(["active", "inactive", "held", "removed"]);

const CURSOR = /^[ri]:.{0,255}$/;

export const peopleQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z
    .string()
    .regex(CURSOR, "Must be the nextCursor of the previous answer")
    .optional()
    .meta({ description: "The `nextCursor` of the previous answer; opaque." }),
  state: states.optional(),
});

export type PeopleQuery = z.infer<typeof peopleQuery>;

export const connectionPerson = described("ConnectionPerson", "Whom a connection knows.", () => ({
  id,
  userId: z.string().nullable().meta({ description: "The account; null: there is none." }),
  email: z.string().nullable(),
  userName: z.string().optional().meta({ description: "What the directory calls the person." }),
  externalId: z.string().optional(),
  state: states.meta({
    description: "`held`: the directory has the person as active, and `reason` says what keeps them out.",
  }),
  reason: z.string().optional(),
  lastSignOnAt: time.nullable(),
}));

export type ConnectionPerson = z.infer<typeof connectionPerson>;
