/** What the client calls things where the OpenAPI document calls them otherwise, or does not name them. */

interface Query {
  /** The operations that take it. */
  of: readonly string[];
  does: string;
}

/** The types of query strings. `...Options` are also those of the call; the others are an argument before them. */
export const QUERIES: Readonly<Record<string, Query>> = {
  ConnectionPersonFilter: {
    of: ["listConnectionPeople", "listPlatformConnectionPeople"],
    does: "Which people of a connection, and how many of them.",
  },
  AuditFilter: { of: ["listAuditEvents", "operatorAudit"], does: "Which events to return." },
  EventFilter: { of: ["listEvents"], does: "Which events to return." },
  EventOptions: { of: ["getEvent"], does: "Options of `client.events.get`." },
  EventTypeFilter: { of: ["listEventTypes"], does: "Which event types to list." },
  EventTypesFormat: { of: ["exportEventTypes"], does: "How event types are exported." },
  ImportFilter: { of: ["listImports"], does: "From where on imports are listed." },
  ImportReportFilter: {
    of: ["getImportReport"],
    does: "Which lines of a report are listed, and from where on.",
  },
  LogFilter: { of: ["listWebhookLogs"], does: "Which attempts of a log to return." },
  MemberFilter: { of: ["listMembers"], does: "Which members are listed, and from where on." },
  PlatformClientFilter: {
    of: ["listClients", "listTenantClients"],
    does: "Which clients are listed, and from where on.",
  },
  PlatformMemberFilter: { of: ["listPlatformMembers"], does: "From where on members are listed." },
  PlatformTenantFilter: { of: ["listPlatformTenants"], does: "Which tenants are listed, and from where on." },
  PlatformUsageFilter: { of: ["listPlatformUsage"], does: "Of which month, and from where on." },
  PlatformUserFilter: { of: ["listPlatformUsers"], does: "Which users are listed, and from where on." },
  PublishOptions: { of: ["publishEvent"], does: "Options of `client.events.publish`." },
  ReplayListOptions: { of: ["listReplays"], does: "Options of `client.webhooks.replays`." },
  ReplayOptions: { of: ["startReplay"], does: "Options of `client.webhooks.replay`." },
  ResumeOptions: { of: ["resumeWebhook"], does: "Options of `client.webhooks.resume`." },
  SignInOptions: { of: ["startOauth"], does: "Options of a sign-in." },
  StatsOptions: {
    of: ["getStats", "getWebhookStats"],
    does: "Options of `client.stats.get` and `client.webhooks.stats`.",
  },
  SubscriptionListOptions: { of: ["listWebhooks"], does: "Options of `client.webhooks.list`." },
};

/** Bodies whose required fields are arguments of their own. */
export const SPREAD: ReadonlySet<string> = new Set([
  "EmailConfirmation",
  "FactorCode",
  "FeedAcknowledgement",
  "InvitationAcceptance",
  "MembershipChange",
  "EventBatchInput",
  "SourceSecretInput",
  "NotMeReport",
  "PasskeyChange",
  "RoleChange",
  "TotpCode",
  "TwoFactorRemoval",
]);

/** Bodies that need one of several fields, which the document cannot say. */
export const NOT_EMPTY: ReadonlySet<string> = new Set(["EventTypeImport", "StepUp"]);

/** Arguments with another name, by their operation and the field or the parameter. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  "ackFeedConsumer name": "consumer",
  "seekFeedConsumer name": "consumer",
  "deleteFeedConsumer name": "consumer",
  "disableTwoFactor token": "code",
  "renewRecoveryCodes token": "code",
  "verifyTwoFactor token": "code",
  "operatorHoldTenantSends id": "tenantId",
  "operatorReleaseTenantSends id": "tenantId",
  "putImportPart n": "part",
};

/** Parameters of paths that are numbers, though the document says otherwise. */
export const NUMBERS: ReadonlySet<string> = new Set(["putImportPart n"]);

/** Operations that no method calls: files, a WebSocket, and what browsers and providers open. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  "confirmInbound",
  "exportAuditEvents",
  "finishOauth",
  "finishSamlSignOn",
  "finishSignOn",
  "getOpenApi",
  "initiateSignOn",
  "initiateSignOnByForm",
  "openListenSocket",
  "receiveInbound",
  "signOutByConnection",
  "startSignOn",
  "takeSamlResponse",
]);
