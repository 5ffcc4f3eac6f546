/**
 * The shapes on the wire, read off the routes: bodies are the `z.input` of the schemas that validate them.
 * The build writes these types out in full, so that the published ones need neither zod nor Hono.
 */
import type { apiKeyRoutes } from "../api-keys/routes";
import type { attemptRoutes } from "../attempts/routes";
import type { accountRoutes, publicAuthRoutes } from "../auth/routes";
import type * as errors from "../errors";
import type { eventRoutes } from "../events/routes";
import type { invitationRoutes } from "../invitations/routes";
import type { memberRoutes } from "../members/routes";
import type { passwordRoutes, publicRecoveryRoutes } from "../recovery/routes";
import type { redeliveryRoutes } from "../redelivery/routes";
import type { publicSessionRoutes, sessionRoutes } from "../sessions/routes";
import type { statsRoutes, webhookStatsRoutes } from "../stats/routes";
import type { webhookRoutes } from "../subscriptions/routes";
import type { twoFactorRoutes } from "../two-factor/routes";
import type { Wire } from "../wire/wire";

type PublicAuth = Wire<typeof publicAuthRoutes>;
type Account = Wire<typeof accountRoutes>;
type Recovery = Wire<typeof publicRecoveryRoutes>;
type Passwords = Wire<typeof passwordRoutes>;
type PublicSessions = Wire<typeof publicSessionRoutes>;
type Sessions = Wire<typeof sessionRoutes>;
type TwoFactor = Wire<typeof twoFactorRoutes>;
type ApiKeys = Wire<typeof apiKeyRoutes>;
type Members = Wire<typeof memberRoutes>;
type Invitations = Wire<typeof invitationRoutes>;
type Attempts = Wire<typeof attemptRoutes>;
type Stats = Wire<typeof statsRoutes>;
type WebhookStatistics = Wire<typeof webhookStatsRoutes>;
type Redelivery = Wire<typeof redeliveryRoutes>;
type Webhooks = Wire<typeof webhookRoutes>;
type Events = Wire<typeof eventRoutes>;

/** Every code that the service answers with. */
export type ErrorCode = errors.ErrorCode;
/** What is wrong with one field: its path in the body (`events.0`) and why. */
export type ErrorDetail = errors.ErrorDetail;

export type Registration = PublicAuth["/register"]["$post"]["input"]["json"];
/** `totp` is a code of the authenticator app or a recovery code; `tenantId` chooses one of several tenants. */
export type Credentials = PublicAuth["/login"]["$post"]["input"]["json"];
/** The access token lives 15 minutes; the refresh token works once. */
export type TokenPair = PublicSessions["/refresh"]["$post"]["output"]["data"];
/** Who is signed in, and what they may do in their tenant. */
export type Profile = Account["/me"]["$get"]["output"]["data"];
export type PasswordReset = Recovery["/reset-password"]["$post"]["input"]["json"];
export type PasswordChange = Passwords["/change-password"]["$post"]["input"]["json"];
/** One login; `current` is true for the session that asks. */
export type Session = Sessions["/sessions"]["$get"]["output"]["data"][number];
/** `qrCodeUri` is an otpauth URI. */
export type TwoFactorEnrolment = TwoFactor["/enable"]["$post"]["output"]["data"];
/** Shown once. */
export type RecoveryCodes = TwoFactor["/recovery-codes"]["$post"]["output"]["data"];

export type NewApiKey = ApiKeys["/"]["$post"]["input"]["json"];
/** With `key`, which is shown this once. */
export type CreatedApiKey = ApiKeys["/"]["$post"]["output"]["data"];
export type ApiKey = ApiKeys["/"]["$get"]["output"]["data"][number];
export type Member = Members["/"]["$get"]["output"]["data"][number];
export type Role = Members["/:userId"]["$patch"]["input"]["json"]["role"];
export type NewInvitation = Invitations["/"]["$post"]["input"]["json"];
export type Invitation = Invitations["/"]["$get"]["output"]["data"][number];
/** The tenant that an accepted invitation led to; log in with its id as `tenantId`. */
export type JoinedTenant = Invitations["/accept"]["$post"]["output"]["data"];

export type NewSubscription = Webhooks["/"]["$post"]["input"]["json"];
export type SubscriptionChange = Webhooks["/:id"]["$patch"]["input"]["json"];
export type Subscription = Webhooks["/:id"]["$get"]["output"]["data"];
/** One row of the delivery log: one attempt. */
export type DeliveryAttempt = Attempts["/:id/logs"]["$get"]["output"]["data"][number];
export type FailedSince = Redelivery["/:id/retry-failed"]["$post"]["input"]["json"];
export type QueuedAgain = Redelivery["/:id/retry-failed"]["$post"]["output"];
/** With its headers and the chain of its delivery's attempts. */
export type AttemptDetail = Attempts["/:id/attempts/:attemptId"]["$get"]["output"]["data"];
/** Per hour, oldest first. */
export type WebhookStats = WebhookStatistics["/:id/stats"]["$get"]["output"]["data"];
/** Per hour, oldest first, and the subscriptions that need attention. */
export type TenantStats = Stats["/"]["$get"]["output"]["data"];
export type DeliveryCounts = WebhookStatistics["/:id/metrics"]["$get"]["output"]["data"];
/** `payload` is any JSON value. */
export type NewEvent = Events["/"]["$post"]["input"]["json"];
/** `deliveries`: how many subscriptions the event goes to. */
export type PublishedEvent = Events["/"]["$post"]["output"]["data"];
