/** Tenants in requests and answers. */
import { z } from "zod";
import { id } from "../wire/schemas";

export const tenant = z
  .object({ id, name: z.string().meta({ examples: ["Analytical Engines"] }) })
  .meta({ id: "Tenant" });
