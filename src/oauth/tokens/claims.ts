/** What apps learn of a person, by the scopes that they were allowed (OpenID Connect Core 5.1, 5.4). */

/** A person in a tenant; times are Unix ms. */
export interface ClaimSubject {
  email: string;
  name: string | null;
  externalId: string | null;
  emailVerifiedAt: number | null;
  updatedAt: number;
  tenantId: string;
  tenantName: string;
  tenantExternalId: string | null;
  role: string;
}

/** Without empty ones. */
export function claimsOf(scopes: readonly string[], subject: ClaimSubject): Record<string, string | number | boolean> {
  const byScope = {
    profile: { name: subject.name, updated_at: Math.floor(subject.updatedAt / 1000), ext: subject.externalId },
    email: { email: subject.email, email_verified: subject.emailVerifiedAt !== null },
    tenant: {
      tid: subject.tenantId,
      tenant_name: subject.tenantName,
      tenant_ext: subject.tenantExternalId,
      role: subject.role,
    },
  };
  const claims = Object.entries(byScope).flatMap(([scope, said]) =>
    scopes.includes(scope) ? Object.entries(said) : [],
  );
  return Object.fromEntries(claims.filter((claim): claim is [string, string | number | boolean] => claim[1] !== null));
}
