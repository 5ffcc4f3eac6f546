/** Serves operations: their checks as middleware, and the handler of an API route. */

import type { Context, MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import { createMiddleware } from "hono/factory";
import type { ZodObject } from "zod";
import { AppError } from "../errors";
import { isForm } from "../media-type";
import { type Access, type Call, callersOf, isOpenToConfined, type Operation, type Unchecked } from "../operation";
import { says } from "../schemas/schemas";
import { lowerUuid } from "../uuid";
import { clientContextOf } from "./client-context";
import { cookiesOf } from "./cookies";
import type { AppEnv } from "./env";
import {
  can,
  notInConfinedSession,
  operatorsOnly,
  operatorsOrKeys,
  orInSetup,
  ownersOnly,
  platformKeyOf,
  platformKeysOnly,
  sessionOf,
} from "./permissions";
import { limit } from "./rate-limit";
import { docsOf, documented, type RouteDocs } from "./route-docs";
import { body, query } from "./validate";

/** The checks of an operation. A caller without the permission does not use up the limit of others. */
export function requires(access: Access): MiddlewareHandler<AppEnv> {
  const checks = [
    ...(isOpenToConfined(access) ? [] : [notInConfinedSession]),
    ...(access.also === undefined ? [] : [permissionCheck(access.also, access)]),
    ...mainChecks(access),
    ...(access.limit === undefined ? [] : [limit(access.limit.rule, access.limit.per, { units: access.limit.units })]),
  ];
  const docs = checks.map((check) => docsOf(check));
  return documented(every(...checks), {
    ...callerDocs(access),
    ...Object.assign({}, ...docs),
    ...(access.takesNdjson ? { takesNdjson: true } : {}),
    access,
    errors: docs.flatMap((part) => part?.errors ?? []),
  });
}

function mainChecks(access: Access): MiddlewareHandler<AppEnv>[] {
  const { permission, scope } = access;
  if (permission === "operator" && scope !== undefined) return [operatorsOrKeys(scope)];
  return [
    ...(permission === undefined ? [] : [orInSetup(access.inSetup, permissionCheck(permission, access))]),
    ...(scope === undefined ? [] : [platformKeysOnly(scope)]),
  ];
}

/** The credentials that the OpenAPI document names. Portals and feeds describe theirs themselves. */
function callerDocs(access: Access): RouteDocs {
  const callers = callersOf(access);
  if (callers === "anybody") return {};
  return { caller: callers.includes("api-key") ? "any" : "session" };
}

function permissionCheck(
  permission: NonNullable<Access["permission"]>,
  { hasNoRecords, permissionInPlatform }: Access,
): MiddlewareHandler<AppEnv> {
  if (permission === "owner") return ownersOnly;
  if (permission === "operator") return operatorsOnly;
  return can(permission, hasNoRecords ? (permissionInPlatform ?? permission) : null);
}

/** A validated request. `from` is where the input is. */
interface Validated<From extends "json" | "query", Sent, Input> {
  in: Record<From, Sent>;
  out: Record<From, Input>;
}

type Served<From extends "json" | "query", Sent, Input, Answer> = [
  checks: MiddlewareHandler<AppEnv>,
  validate: MiddlewareHandler<AppEnv, string, Validated<From, Sent, Input>>,
  handler: (c: Context<AppEnv, string, Validated<From, Sent, Input>>) => Promise<Answer>,
];

/** The checks of an operation, its validation, and the handler that sends `answer`. */
export function serve<Input, Result, Sent, Answer, From extends "json" | "query" = "json">(
  operation: Operation<Input, Result, Sent>,
  answer: (c: Context<AppEnv>, result: Result, input: Input) => Answer | Promise<Answer>,
  from?: From,
): Served<From, Sent, Input, Answer> {
  const { schema } = operation;
  const validate = schema && (from === "query" ? query(schema as unknown as ZodObject) : body(schema));
  return [
    requires(operation),
    (validate ?? passThrough) as unknown as Served<From, Sent, Input, Answer>[1],
    performing(
      async (c) => {
        const input = (validate ? c.req.valid((from ?? "json") as never) : undefined) as Input;
        return answer(c as never, await perform(c as never, operation, input), input);
      },
      operation,
      docsOf(answer),
    ),
  ];
}

/** Marks a handler that performs an operation, for the tests that find all others and those with a step-up. */
export const performing = <H extends object>(
  handler: H,
  { stepUp }: Pick<Operation<never, unknown>, "stepUp">,
  docs: RouteDocs = {},
): H =>
  documented(handler, {
    ...docs,
    performs: true,
    ...(stepUp ? { confirms: true, errors: [...(docs.errors ?? []), ...stepUp.errors] } : {}),
  });

/** Sends this message as the answer to an operation, and documents it. */
export const saying = (message: string) =>
  documented((c: Context<AppEnv>) => c.json({ message }), {
    rest: () => ({ successes: { 200: { body: says(message) } } }),
  });

const passThrough = createMiddleware((_c, next) => next());

/**
 * Checks the captcha, what is refused anyway and the step-up, and does what is asked. `params` are those that the path
 * does not have.
 */
export async function perform<Input, Result, Sent>(
  c: Context<AppEnv>,
  operation: Operation<Input, Result, Sent>,
  input: Input,
  params: PathParams = {},
): Promise<Result> {
  const { captcha, stepUp } = operation;
  const call = callOf(c, input, params);
  await captcha?.check(call.deps, input);
  operation.refuse?.(call);
  if (stepUp && !isWithoutSession(call) && stepUp.when?.(input) !== false) {
    await stepUp.check(call.deps, call.session, input);
  }
  return operation.verb(call);
}

/** A key or a setup link is nobody who could sign in again. */
const isWithoutSession = ({ principal: { kind } }: Pick<Call<unknown>, "principal">): boolean =>
  kind === "platform-key" || kind === "setup";

/** Parameters of a path, by name. */
export type PathParams = Readonly<Record<string, string>>;

const callOf = <Input>(c: Context<AppEnv>, input: Input, params: PathParams): Call<Input> => ({
  deps: c.get("deps"),
  input,
  get principal() {
    const principal: Call<Input>["principal"] | undefined = c.get("principal");
    if (!principal) throw new AppError("UNAUTHENTICATED");
    return principal;
  },
  get session() {
    return sessionOf(c);
  },
  get platformKey() {
    return platformKeyOf(c);
  },
  get holder() {
    const principal: Call<Input>["holder"] | undefined = c.get("principal");
    return principal ?? null;
  },
  checkCaller: () => c.get("checkCaller")(),
  get client() {
    return clientContextOf(c);
  },
  get cookies() {
    return cookiesOf(c);
  },
  get unchecked() {
    return uncheckedOf(c);
  },
  param: (name) => params[name] ?? pathParam(c, name),
});

const uncheckedOf = ({ req }: Context<AppEnv>): Unchecked => ({
  header: (name) => req.header(name),
  query: () => new URL(req.url).searchParams,
  form: async () => new URLSearchParams(isForm(req.header("content-type")) ? await req.text() : ""),
});

/** A parameter of the path; a UUID is in lower case. Throws if the route has none of this name. */
export function pathParam(c: Context<AppEnv>, name: string): string {
  const value: string | undefined = c.req.param(name);
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return lowerUuid(value);
}
