/**
 * Schemas that are made when they are first asked for. A Worker has hundreds, and making all of them takes a quarter of
 * the time that it needs to start; an isolate uses few. Those of answers are only used by the OpenAPI document.
 */
import * as z from "zod";

/** The schema of an object; `id` is its name in the OpenAPI document. */
export const described = <Shape extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: () => Shape,
): z.ZodLazy<z.ZodObject<Shape>> => z.lazy(() => z.object(shape()).meta({ id, description }));
