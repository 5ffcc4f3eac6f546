/** The forms of the console: their fields as text, and the operation that a form asks for. */
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { type PathParams, perform, requires } from "../../platform/http/operation";
import type { Operation } from "../../platform/operation";
import { parse } from "../failure";
import { type Refused, redirectTo, rerenderOnError } from "./page";

/** The fields of a submitted form; the API's schemas validate them. */
export interface Form {
  /** The field's value, empty when it is missing. */
  text(name: string): string;
  /** The field's value, undefined when it is missing or empty: for optional fields. */
  optional(name: string): string | undefined;
  /** All values of a field that may be repeated. */
  list(name: string): string[];
}

export async function readForm(c: Context<AppEnv>): Promise<Form> {
  const fields = await c.req.parseBody({ all: true });
  const list = (name: string) => [fields[name] ?? []].flat().filter((value) => typeof value === "string");
  const text = (name: string) => list(name)[0] ?? "";
  return { text, optional: (name) => text(name) || undefined, list };
}

interface FormPages<Values, Result> {
  /** Reads what the page shows again after an error. */
  values?: (form: Form, c: Context<AppEnv>) => Values;
  /** What the API would be sent; without it, the values. */
  input?: (values: Values, c: Context<AppEnv>) => unknown;
  /** Parameters of the operation that the path does not have. */
  params?: (c: Context<AppEnv>) => Promise<PathParams>;
  done: (c: Context<AppEnv>, result: Result, values: Values) => Response | Promise<Response>;
  /** Shows the form again. Without it, an error has a page of its own. */
  again?: (c: Context<AppEnv>, refused: Refused, values: Values) => Response | Promise<Response>;
  /** Where to go on once the session is confirmed, if the operation asks for that. */
  confirmedAt?: (values: Values, c: Context<AppEnv>) => string;
}

/** The checks and the handler of a form that asks for `operation`. */
export function form<Input, Result, Sent, Values = undefined>(
  operation: Operation<Input, Result, Sent>,
  { values: read, input, params, done, again, confirmedAt }: FormPages<Values, Result>,
): [checks: MiddlewareHandler<AppEnv>, handler: (c: Context<AppEnv>) => Promise<Response>] {
  const { schema } = operation;
  const handle = async (c: Context<AppEnv>) => {
    const values = (read ? read(await readForm(c), c) : undefined) as Values;
    const work = async () => {
      const sent = schema && parse(schema, input ? await input(values, c) : values);
      return done(c, await perform(c, operation, sent as Input, await params?.(c)), values);
    };
    if (!again) return orConfirm(c, confirmedAt?.(values, c), work);
    return orConfirm(c, confirmedAt?.(values, c), () =>
      rerenderOnError(c, work, (refused) => {
        if (confirmedAt && refused.error.code === "STEP_UP_REQUIRED") throw refused.error;
        return again(c, refused, values);
      }),
    );
  };
  return [requires(operation), handle];
}

/** Runs `work`. If the session must be confirmed first, redirects to that page, which leads to `to`. */
export async function orConfirm(
  c: Context<AppEnv>,
  to: string | undefined,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (to === undefined || !(error instanceof AppError) || error.code !== "STEP_UP_REQUIRED") throw error;
    return redirectTo(c, confirmPath(to));
  }
}

/** The page that confirms the session and then leads to `to`. */
export const confirmPath = (to: string): string => `/security/confirm?to=${encodeURIComponent(to)}`;
