/** The pages of one part of the console, by their paths, and the forms that ask for operations. */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { H, Input as Sources } from "hono/types";
import type { AppEnv } from "../../base/http/env";
import { type PathParams, perform, performing, requires } from "../../base/http/operation";
import type { Operation } from "../../base/operation";
import { parse } from "../failure";
import { type Form, orConfirm, readForm } from "./form";
import { type Refused, rerenderOnError } from "./page";

interface FormSource<Values> {
  /** How large the body may be, in KiB, if what the form sends needs more than the API is sent. */
  bodyKiB?: number;
  /** Runs before the checks of the operation. */
  first?: MiddlewareHandler<AppEnv>;
  /** Reads what the page shows again after an error. */
  values?: (form: Form, c: Context<AppEnv>) => Values | Promise<Values>;
}

export interface FormPages<Values, Result> {
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

export class Pages {
  /** Serves what has been added. */
  readonly router = new Hono<AppEnv>();

  /** Runs `handler` before what is added from here on, at `path` only if one is given. */
  use(handler: MiddlewareHandler<AppEnv>, path = "*"): this {
    this.router.use(path, handler);
    return this;
  }

  get<S extends Sources>(path: string, ...handlers: H<AppEnv, string, S>[]): this {
    this.router.on("GET", [path], ...handlers);
    return this;
  }

  post(path: string, ...handlers: H<AppEnv>[]): this {
    this.router.on("POST", [path], ...handlers);
    return this;
  }

  /** The form that is sent to `path` and asks for `operation`. */
  form<Input, Result, Sent, Values = undefined>(
    path: string,
    operation: Operation<Input, Result, Sent>,
    pages: FormPages<Values, Result> & FormSource<Values>,
  ): this {
    const { first, values: read, bodyKiB } = pages;
    const handler = async (c: Context<AppEnv>) =>
      answerForm(c, operation, pages, (read ? await read(await readForm(c), c) : undefined) as Values);
    if (first) this.post(path, first);
    const access = bodyKiB === undefined ? operation : { ...operation, bodyKiB };
    return this.post(path, requires(access), performing(handler, operation));
  }

  /** Adds `others` below `path`. */
  route(path: string, others: Hono<AppEnv>): this {
    this.router.route(path, others);
    return this;
  }
}

/** Performs the operation with the values of a form, and answers with what follows. */
export function answerForm<Input, Result, Sent, Values>(
  c: Context<AppEnv>,
  operation: Operation<Input, Result, Sent>,
  { input, params, done, again, confirmedAt }: FormPages<Values, Result>,
  values: Values,
): Promise<Response> {
  const { schema } = operation;
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
}
