/** What operators send and see of moves. */
import * as z from "zod";
import { described, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";

const shard = z
  .int()
  .min(0)
  .meta({ description: "A delivery database: 0 is `DB`, n is `SHARD_n`.", examples: [1] });

export const move = described("MoveRequest", "Where a tenant is moved, and the operator's password or code.", () => ({
  shard,
  ...stepUpFields,
}));

export const tenantMove = z
  .object({
    from: shard,
    to: shard,
    state: z.enum(["moving", "moved", "ended", "cancelled"]).meta({
      description:
        "`moving`: it is being copied. `moved`: it uses the new database, and the former one keeps what was " +
        "published before. `ended`: the former one has nothing of it any more. `cancelled`: it stayed where it was.",
    }),
    rowsLeft: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          "While it is being moved: how many entries of feeds and order keys are left to be copied. Each of the two " +
          "counts for 100,000 at most.",
        examples: [1_200],
      }),
    createdAt: time,
    movedAt: time.nullable(),
    endedAt: time.nullable(),
  })
  .meta({ id: "TenantMove", description: "The newest move of a tenant to another delivery database." })
  .nullable()
  .meta({ description: "Null: it was never moved." });

export type TenantMove = NonNullable<z.output<typeof tenantMove>>;
