/** Fields of connections in requests. */
import * as z from "zod";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;
const isPlain = (value: string): boolean => !CONTROL_CHARACTERS.test(value) && value.isWellFormed();

/** A text in one line, of at most so many characters. */
export const text = (most: number) =>
  z.string().min(1).max(most).refine(isPlain, "Must not contain control characters");

/** A member that null sets to its default. */
export const change = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

/** An object whose members are changed one by one. */
export const members = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(
    Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, change(schema as z.ZodType)])) as unknown as {
      [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]>>;
    },
  );
