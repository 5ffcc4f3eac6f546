/**
 * An operation, written once: who may ask for it, how often, with which input, and what it does. The route of the API
 * and the form of the console are both built from it, so neither can forget a part.
 */
import type { ZodType } from "zod";
import type { Deps } from "./deps";
import type { ErrorCode } from "./errors";
import type { RuleName } from "./limits/rules";
import type { ClientContext } from "./schemas/client-context";
import type { PlatformScope } from "./schemas/platform-scopes";
import type { SetupTask } from "./schemas/portal-schemas";
import type { PlatformKeyPrincipal, Principal, SessionPrincipal } from "./schemas/principal";
import type { Permission } from "./schemas/roles";

/** Who asks: a person with a session, or whoever has another credential. */
export type Caller = "session" | "api-key" | "platform-key" | "portal" | "setup" | "feed-token";

/** Programs too: API keys, tokens of apps for our API, and platform keys in the tenant that they name. */
export const WITH_KEYS = ["session", "api-key", "platform-key"] as const satisfies readonly Caller[];
/** The customers of the tenant too, with the token of a portal. */
export const WITH_PORTALS = [...WITH_KEYS, "portal"] as const satisfies readonly Caller[];
/** Programs that have the token of one feed too. */
export const WITH_FEED_TOKENS = [...WITH_KEYS, "feed-token"] as const satisfies readonly Caller[];

/** Who may ask, how often, and what the request may be like. What an operation does not open is closed. */
export interface Access {
  /** Who may ask; missing: platform keys if there is a `scope`, else sessions alone. */
  callers?: "anybody" | readonly Caller[];
  /** A permission of the caller, or what only an owner of the tenant or an operator of the service may do. */
  permission?: Permission | "owner" | "operator";
  /** A second permission, which the caller needs as well. */
  also?: Permission;
  /** What a platform key must be allowed to do. Nobody else may ask, but with `permission: "operator"` operators. */
  scope?: PlatformScope;
  /** Counts each request whose caller has the permission, as 1 unit unless `units` says more. */
  limit?: {
    rule: RuleName;
    per: "IP address" | "user" | "user or key" | "tenant" | "platform" | "platform key" | "feed";
    units?: number;
  };
  /** Whether it shows no records of people, so that a platform key needs no more than its scope in the platform. */
  hasNoRecords?: true;
  /** With `hasNoRecords`: what such a key needs there, where no scope gives `permission`. It is refused elsewhere. */
  permissionInPlatform?: Permission;
  /** Why a platform key may not ask: it gets 403 with this message, and not the 401 of other keys. */
  forbidsPlatformKeys?: string;
  /** Whether it is missing in the tenant of the platform: 404 for whoever acts there. */
  notInPlatform?: true;
  /**
   * Whether a confined session may ask, which the tenant's own sign-on has opened; missing: for data of the tenant,
   * which needs a permission there.
   */
  inConfinedSession?: "open" | "refused";
  /** What a setup link must be for, so that its session may ask, without `permission`; missing: no such session may. */
  inSetup?: SetupTask;
  /** Whether members of a suspended tenant may ask too, and members who lack the second factor that it requires. */
  openWhenSuspended?: true;
  /** How large the body may be, in KiB; missing: `BODY_KIB`. */
  bodyKiB?: number;
  /** Whether the body may be a JSON value a line. */
  takesNdjson?: true;
  /** Whether the body may be a form. */
  takesForm?: true;
  /** Whether pages of other origins may send our cookies. */
  takesCookiesAcrossOrigins?: true;
  /** Whether pages of every origin may call it, without cookies. */
  isOpenToAllOrigins?: true;
  /** Whether pages of every origin may read it: a document that says the same to everybody. */
  isPublicDocument?: true;
}

/** What everybody may read, and says the same to everybody. */
export const PUBLIC_DOCUMENT = { callers: "anybody", isPublicDocument: true } as const satisfies Access;

/** How large a body may be unless its operation says more, in KiB. */
export const BODY_KIB = 64;

/** Who may ask. */
export const callersOf = ({ callers, scope }: Access): "anybody" | readonly Caller[] =>
  callers ?? [scope === undefined ? "session" : "platform-key"];

/** Operators cannot lock themselves out. */
export const isOpenWhenSuspended = ({ openWhenSuspended, permission }: Access): boolean =>
  openWhenSuspended === true || permission === "operator";

/**
 * Whether a confined session may ask. Its tenant's provider speaks for that tenant alone, so what is about the account
 * of the person, about owners, or about the service is closed unless the operation opens it.
 */
export function isOpenToConfined({ inConfinedSession, callers, permission }: Access): boolean {
  if (inConfinedSession !== undefined) return inConfinedSession === "open";
  return callers === "anybody" || ![undefined, "owner", "operator"].includes(permission);
}

/** Our cookies in the caller's browser, by their names. */
export interface Cookies {
  get(name: string): string | undefined;
  /** `expiresAt` is Unix ms. */
  set(name: string, value: string, expiresAt: number): void;
  delete(name: string): void;
}

/** What a request sends that no schema checks. */
export interface Unchecked {
  header(name: string): string | undefined;
  query(): URLSearchParams;
  /** The fields of a body that is a form; of another one, none. */
  form(): Promise<URLSearchParams>;
}

/** One request for an operation. */
export interface Call<Input> {
  deps: Deps;
  /** What the request asks for, validated. */
  input: Input;
  /** The caller. Reading it throws UNAUTHENTICATED if nobody is signed in. */
  readonly principal: Principal;
  /** The caller's session. Reading it throws UNAUTHENTICATED if there is none. */
  readonly session: SessionPrincipal;
  /** The caller's platform key. Reading it throws FORBIDDEN if there is none. */
  readonly platformKey: PlatformKeyPrincipal;
  /** Who is signed in, for an operation that needs nobody; null if nobody is. */
  readonly holder: Principal | null;
  /**
   * Throws what the request would be answered with if it came now, such as after the end of the caller's session. For
   * an operation that waits before it answers.
   */
  checkCaller(): Promise<void>;
  readonly client: ClientContext;
  readonly cookies: Cookies;
  readonly unchecked: Unchecked;
  /** A parameter of the path, such as "id". */
  param(name: string): string;
}

/** Shows that a person asks. Throws CAPTCHA_REQUIRED. */
export interface Captcha<Input> {
  /** What the widget of the page is shown for. */
  action: string;
  check(deps: Deps, input: Input): Promise<void>;
}

/**
 * Checks that the session is confirmed, or confirms it with the input, before something that cannot be undone. `errors`
 * are those that the API documents.
 */
export interface StepUp<Input> {
  errors: readonly ErrorCode[];
  /** Which inputs need it; missing: all. */
  when?(input: Input): boolean;
  check(deps: Deps, session: SessionPrincipal, input: Input): Promise<void>;
}

export interface Operation<Input, Result, Sent = unknown> extends Access {
  /** Validates what is sent; missing for an operation without input. */
  schema?: ZodType<Input, Sent>;
  captcha?: Captcha<NoInfer<Input>>;
  /** Throws what no confirmed session would change: nobody confirms one for nothing. */
  refuse?(call: Call<NoInfer<Input>>): void;
  stepUp?: StepUp<NoInfer<Input>>;
  verb(call: Call<NoInfer<Input>>): Promise<Result>;
}

/** Returns the operation; it only infers the types of its input and its result. */
export const operation = <Input, Result, Sent>(
  definition: Operation<Input, Result, Sent>,
): Operation<Input, Result, Sent> => definition;
