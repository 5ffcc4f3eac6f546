/**
 * Schemas of answers. They are only described, in the OpenAPI document, so each is made when it is first asked for: a
 * Worker that starts would make a thousand schemas for nothing.
 */
import * as z from "zod";

/** The schema of an object in answers; `id` is its name in the OpenAPI document. */
export const answer = <Shape extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: () => Shape,
): z.ZodLazy<z.ZodObject<Shape>> => z.lazy(() => z.object(shape()).meta({ id, description }));
