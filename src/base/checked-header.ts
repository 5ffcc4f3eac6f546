/** The headers that operations read. */
import type { ZodType } from "zod";
import { invalid } from "./errors";
import type { Unchecked } from "./operation";

/** The value of a header, null if it is missing or empty (RFC 9110 section 5.5). Throws VALIDATION_FAILED. */
export function checkedHeader<T>({ header }: Unchecked, name: string, schema: ZodType<T>): T {
  const { data, error } = schema.safeParse(header(name) || null);
  if (error) throw invalid(error, name);
  return data as T;
}
