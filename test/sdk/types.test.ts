/** The types of postern/client are written for people to read; here the compiler compares each with its route. */
import type { ExtractSchema } from "hono/types";
import type { JSONValue } from "hono/utils/types";
import { expectTypeOf, test } from "vitest";
import type { apiKeyRoutes } from "../../src/identity/api-keys/routes";
import type { invitationRoutes } from "../../src/identity/invitations/routes";
import type { memberRoutes } from "../../src/identity/members/routes";
import type { passkeyRoutes } from "../../src/identity/passkeys/routes";
import type { identityRoutes } from "../../src/identity/providers/identities/routes";
import type { oauthRoutes } from "../../src/identity/providers/routes";
import type { passwordRoutes, publicRecoveryRoutes } from "../../src/identity/recovery/routes";
import type { publicSessionRoutes, sessionRoutes } from "../../src/identity/sessions/routes";
import type { accountRoutes, publicAuthRoutes } from "../../src/identity/sign-in/routes";
import type { stepUpRoutes } from "../../src/identity/step-up/routes";
import type { twoFactorRoutes } from "../../src/identity/two-factor/routes";
import type { accountDeletionRoutes } from "../../src/lifecycle/deletion/routes";
import type { accountExportRoutes } from "../../src/lifecycle/exports/routes";
import type { TenantExport } from "../../src/lifecycle/exports/schemas";
import type { operatorReadRoutes, operatorWriteRoutes } from "../../src/operations/operators/routes";
import type * as errors from "../../src/platform/errors";
import type * as client from "../../src/sdk/client";
import type { auditRoutes } from "../../src/tenancy/audit/routes";
import type { eventRoutes } from "../../src/webhooks/events/routes";
import type { attemptRoutes } from "../../src/webhooks/log/routes";
import type { replayRoutes } from "../../src/webhooks/resend/replays/routes";
import type { redeliveryRoutes } from "../../src/webhooks/resend/routes";
import type { rotationRoutes } from "../../src/webhooks/signing/rotation/routes";
import type { statsRoutes, subscriptionStatsRoutes } from "../../src/webhooks/stats/routes";
import type { subscriptionRoutes } from "../../src/webhooks/subscriptions/routes";

/**
 * Compares an interface that extends another as one with all their fields. Where any JSON value may stand, the client
 * says `unknown`.
 */
type Plain<T> = JSONValue extends T ? unknown : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Routes<T> = Plain<ExtractSchema<T>>;

type Auth = Routes<typeof publicAuthRoutes> & Routes<typeof accountRoutes>;
type Deletion = Routes<typeof accountDeletionRoutes>;
type Identities = Routes<typeof identityRoutes>;
type Oauth = Routes<typeof oauthRoutes>;
type Passkeys = Routes<typeof passkeyRoutes>;
type StepUp = Routes<typeof stepUpRoutes>;
type Passwords = Routes<typeof publicRecoveryRoutes> & Routes<typeof passwordRoutes>;
type Sessions = Routes<typeof publicSessionRoutes> & Routes<typeof sessionRoutes>;
type TwoFactor = Routes<typeof twoFactorRoutes>;
type ApiKeys = Routes<typeof apiKeyRoutes>;
type Members = Routes<typeof memberRoutes>;
type Invitations = Routes<typeof invitationRoutes>;
type Webhooks = Routes<typeof subscriptionRoutes>;
type Attempts = Routes<typeof attemptRoutes>;
type Redelivery = Routes<typeof redeliveryRoutes>;
type Replays = Routes<typeof replayRoutes>;
type WebhookStats = Routes<typeof subscriptionStatsRoutes>;
type Rotation = Routes<typeof rotationRoutes>;
type Stats = Routes<typeof statsRoutes>;
type Audit = Routes<typeof auditRoutes>;
type Operator = Routes<typeof operatorReadRoutes>;
type Events = Routes<typeof eventRoutes>;

const same = <T>() => expectTypeOf<Plain<T>>();

test("what a method takes is what its route takes", () => {
  same<client.Registration>().toEqualTypeOf<Auth["/register"]["$post"]["input"]["json"]>();
  same<client.Credentials>().toEqualTypeOf<Auth["/login"]["$post"]["input"]["json"]>();
  same<client.CodeCredentials>().toEqualTypeOf<Auth["/code/verify"]["$post"]["input"]["json"]>();
  same<client.PasswordReset>().toEqualTypeOf<Passwords["/reset-password"]["$post"]["input"]["json"]>();
  same<client.PasswordChange>().toEqualTypeOf<Passwords["/change-password"]["$post"]["input"]["json"]>();
  same<client.AccountDeletion>().toEqualTypeOf<Deletion["/me"]["$delete"]["input"]["json"]>();
  same<client.Proof>().toEqualTypeOf<StepUp["/step-up"]["$post"]["input"]["json"]>();
  same<client.CodeExchange>().toEqualTypeOf<Oauth["/exchange"]["$post"]["input"]["json"]>();
  same<client.Departure>().toEqualTypeOf<Identities["/:id"]["$post"]["input"]["json"]>();
  same<client.SignInDeparture>().toEqualTypeOf<Oauth["/:provider"]["$get"]["input"]["query"]>();
  same<client.NewPasskey>().toEqualTypeOf<Passkeys["/"]["$post"]["input"]["json"]>();
  same<client.ShownPasskey & { tenantId?: string | undefined }>().toEqualTypeOf<
    Auth["/passkeys/login"]["$post"]["input"]["json"]
  >();
  same<client.NewApiKey>().toEqualTypeOf<ApiKeys["/"]["$post"]["input"]["json"]>();
  same<client.Role>().toEqualTypeOf<Members["/:userId"]["$patch"]["input"]["json"]["role"]>();
  same<client.NewInvitation>().toEqualTypeOf<Invitations["/"]["$post"]["input"]["json"]>();
  same<client.NewSubscription>().toEqualTypeOf<Webhooks["/"]["$post"]["input"]["json"]>();
  same<client.SubscriptionChange>().toEqualTypeOf<Webhooks["/:id"]["$patch"]["input"]["json"]>();
  same<client.RetryFailedRequest>().toEqualTypeOf<Redelivery["/:id/retry-failed"]["$post"]["input"]["json"]>();
  same<client.SecretRotation>().toEqualTypeOf<Rotation["/:id/secret/rotate"]["$post"]["input"]["json"]>();
  same<client.NewReplay & { dryRun?: boolean | undefined }>().toEqualTypeOf<
    Replays["/:id/replay"]["$post"]["input"]["json"]
  >();
  same<client.Suspension>().toEqualTypeOf<
    Routes<typeof operatorWriteRoutes>["/tenants/:id/suspend"]["$post"]["input"]["json"]
  >();
  same<client.NewEvent>().toEqualTypeOf<Events["/"]["$post"]["input"]["json"]>();
});

test("what a method returns is what its route answers", () => {
  same<client.TokenPair>().toEqualTypeOf<Sessions["/refresh"]["$post"]["output"]["data"]>();
  same<client.AccountExport>().toEqualTypeOf<Routes<typeof accountExportRoutes>["/"]["$get"]["output"]["data"]>();
  same<client.TenantExport>().toEqualTypeOf<Plain<TenantExport>>();
  same<client.RequestedCode>().toEqualTypeOf<Auth["/code"]["$post"]["output"]["data"]>();
  same<client.Profile>().toEqualTypeOf<Auth["/me"]["$get"]["output"]["data"]>();
  same<client.Session[]>().toEqualTypeOf<Sessions["/sessions"]["$get"]["output"]["data"]>();
  same<client.TwoFactorEnrolment>().toEqualTypeOf<TwoFactor["/enable"]["$post"]["output"]["data"]>();
  same<client.PasskeyCreationOptions>().toEqualTypeOf<Passkeys["/options"]["$post"]["output"]["data"]>();
  same<client.PasskeyRequestOptions>().toEqualTypeOf<Auth["/passkeys/login/options"]["$post"]["output"]["data"]>();
  same<client.PasskeyRequestOptions>().toEqualTypeOf<StepUp["/step-up/options"]["$post"]["output"]["data"]>();
  same<client.Identity[]>().toEqualTypeOf<Identities["/"]["$get"]["output"]["data"]>();
  same<client.TokenPair>().toEqualTypeOf<Oauth["/exchange"]["$post"]["output"]["data"]>();
  same<client.Passkey[]>().toEqualTypeOf<Passkeys["/"]["$get"]["output"]["data"]>();
  same<client.Passkey>().toEqualTypeOf<Passkeys["/"]["$post"]["output"]["data"]>();
  same<client.RecoveryCodes>().toEqualTypeOf<TwoFactor["/recovery-codes"]["$post"]["output"]["data"]>();
  same<client.IssuedApiKey>().toEqualTypeOf<ApiKeys["/"]["$post"]["output"]["data"]>();
  same<client.ApiKey[]>().toEqualTypeOf<ApiKeys["/"]["$get"]["output"]["data"]>();
  same<client.Member[]>().toEqualTypeOf<Members["/"]["$get"]["output"]["data"]>();
  same<client.MembershipChange>().toEqualTypeOf<Members["/me"]["$patch"]["output"]["data"]>();
  same<client.Invitation[]>().toEqualTypeOf<Invitations["/"]["$get"]["output"]["data"]>();
  same<client.JoinedTenant>().toEqualTypeOf<Invitations["/accept"]["$post"]["output"]["data"]>();
  same<client.Subscription>().toEqualTypeOf<Webhooks["/:id"]["$get"]["output"]["data"]>();
  same<client.Attempt[]>().toEqualTypeOf<Attempts["/:id/logs"]["$get"]["output"]["data"]>();
  same<client.AttemptDetail>().toEqualTypeOf<Attempts["/:id/attempts/:attemptId"]["$get"]["output"]["data"]>();
  same<client.RetryFailedResult>().toEqualTypeOf<Redelivery["/:id/retry-failed"]["$post"]["output"]>();
  same<client.RotatedSubscription>().toEqualTypeOf<Rotation["/:id/secret/rotate"]["$post"]["output"]>();
  same<client.AttemptCounts>().toEqualTypeOf<WebhookStats["/:id/metrics"]["$get"]["output"]["data"]>();
  same<client.SubscriptionStats>().toEqualTypeOf<WebhookStats["/:id/stats"]["$get"]["output"]["data"]>();
  same<client.TenantStats>().toEqualTypeOf<Stats["/"]["$get"]["output"]["data"]>();
  same<client.PublishedEvent>().toEqualTypeOf<Events["/"]["$post"]["output"]["data"]>();
  same<client.Page<client.Replay>>().toEqualTypeOf<Replays["/:id/replays"]["$get"]["output"]>();
  same<client.Replay>().toEqualTypeOf<Replays["/:id/replays/:replayId"]["$delete"]["output"]["data"]>();
  same<{ data: client.Replay } | { data: client.ReplayPreview }>().toEqualTypeOf<
    Replays["/:id/replay"]["$post"]["output"]
  >();
  same<client.Page<client.AuditEvent>>().toEqualTypeOf<Audit["/"]["$get"]["output"]>();
  same<client.Page<client.EventSummary>>().toEqualTypeOf<Events["/"]["$get"]["output"]>();
  same<client.OperatorSearch>().toEqualTypeOf<Operator["/search"]["$get"]["output"]["data"]>();
  same<client.ServiceStatus>().toEqualTypeOf<Operator["/status"]["$get"]["output"]["data"]>();
  same<client.OperatedTenant>().toEqualTypeOf<Operator["/tenants/:id"]["$get"]["output"]["data"]>();
  same<client.OperatedPerson>().toEqualTypeOf<Operator["/people/:id"]["$get"]["output"]["data"]>();
  same<client.EventDetailPage>().toEqualTypeOf<Events["/:id"]["$get"]["output"]>();
  same<client.NewBatchEvent>().toEqualTypeOf<Events["/batch"]["$post"]["input"]["json"]["events"][number]>();
});

test("the client names every code of the service", () => {
  same<client.ErrorCode>().toEqualTypeOf<errors.ErrorCode>();
  same<client.ErrorDetail>().toEqualTypeOf<errors.ErrorDetail>();
});
