/** What each scope lets an app do, as people read it. */
import type { SignInScope } from "../base/schemas/client-settings";

const TEXTS: Record<SignInScope, string> = {
  openid: "Know that it is you",
  profile: "See your name",
  email: "See your email address",
  tenant: "See which tenant you work in, and your role there",
  offline_access: "Stay connected while you are away",
};

export const textOf = (scope: string): string => (Object.hasOwn(TEXTS, scope) ? TEXTS[scope as SignInScope] : scope);
