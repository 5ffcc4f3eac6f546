/** `/platform`: the tenants, users and members of the product, for its platform keys. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf, says } from "../../base/schemas/schemas";
import { endedMembership, endedWith } from "../../identity/members/ended-keys";
import { ofMember, ofTenant, ofUser } from "../../tenancy/directory/paths";
import { tenantRecord, userRecord } from "../../tenancy/directory/schemas";
import { members, tenants, users } from "./operations";
import { memberPage, memberRecord, tenantPage, userPage, userWithTenants } from "./schemas";

const tenantRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createPlatformTenant", "Creates a tenant without members.", () => ({
      201: dataOf(tenantRecord),
      200: dataOf(tenantRecord),
      errors: ["CONFLICT"],
      description:
        "The same `externalId` again returns the tenant that is there (200); with another name: 409. Such a tenant " +
        "counts as one with a verified owner.",
    })),
    ...serve(tenants.create, (c, { tenant, isNew }) => c.json({ data: tenant }, isNew ? 201 : 200)),
  )
  .get(
    "/",
    describeRoute("listPlatformTenants", "Lists tenants, the least recently updated first, page by page.", () => ({
      200: tenantPage,
    })),
    ...serve(tenants.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:tenant",
    describeRoute("getPlatformTenant", "Returns a tenant.", () => ({ 200: dataOf(tenantRecord), path: ofTenant })),
    ...serve(tenants.get, (c, data) => c.json({ data })),
  )
  .patch(
    "/:tenant",
    describeRoute("updatePlatformTenant", "Changes a tenant's name or `externalId`.", () => ({
      200: dataOf(tenantRecord),
      errors: ["CONFLICT"],
      path: ofTenant,
    })),
    ...serve(tenants.update, (c, data) => c.json({ data })),
  )
  .post(
    "/:tenant/suspend",
    describeRoute(
      "suspendPlatformTenant",
      "Suspends a tenant: its credentials are refused, and its deliveries wait.",
      () => ({
        path: ofTenant,
      }),
    ),
    ...serve(tenants.suspend, saying("Tenant suspended.")),
  )
  .post(
    "/:tenant/resume",
    describeRoute("resumePlatformTenant", "Ends the suspension of a tenant. Its waiting deliveries are sent.", () => ({
      path: ofTenant,
    })),
    ...serve(tenants.resume, saying("Tenant resumed.")),
  );

const memberRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("listPlatformMembers", "Lists the members of a tenant, the oldest first, page by page.", () => ({
      200: memberPage,
      path: ofTenant,
    })),
    ...serve(members.list, (c, page) => c.json(page), "query"),
  )
  .post(
    "/",
    describeRoute("addPlatformMember", "Makes a user a member of a tenant.", () => ({
      201: dataOf(memberRecord),
      200: dataOf(memberRecord),
      errors: ["CONFLICT"],
      path: ofTenant,
      description: "200: the user is a member with that role already. 409: with another role, or the tenant is full.",
    })),
    ...serve(members.add, (c, { member, isNew }) => c.json({ data: member }, isNew ? 201 : 200)),
  )
  .patch(
    "/:user",
    describeRoute("changePlatformRole", "Gives a member another role.", () => ({
      200: dataOf(memberRecord),
      errors: ["CONFLICT"],
      path: ofMember,
    })),
    ...serve(members.changeRole, (c, data) => c.json({ data })),
  )
  .delete(
    "/:user",
    describeRoute(
      "removePlatformMember",
      "Removes a member. Their sessions and API keys in the tenant end at once.",
      () => ({
        200: endedMembership("Member removed."),
        errors: ["CONFLICT"],
        path: ofMember,
      }),
    ),
    ...serve(members.remove, (c, keys) => c.json(endedWith("Member removed.", keys))),
  );

const userRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createPlatformUser", "Creates an account that is a member of no tenant, and mails nothing.", () => ({
      201: dataOf(userRecord),
      200: dataOf(userRecord),
      errors: ["CONFLICT", "EMAIL_TAKEN"],
      description:
        "The same `externalId` again returns the user that is there (200); if `email`, `name` or `emailVerified` " +
        "differ: 409. The password is not compared. 403 for an operator's address.",
    })),
    ...serve(users.create, (c, { user, isNew }) => c.json({ data: user }, isNew ? 201 : 200)),
  )
  .get(
    "/",
    describeRoute("listPlatformUsers", "Lists users, the least recently updated first, page by page.", () => ({
      200: userPage,
    })),
    ...serve(users.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:user",
    describeRoute("getPlatformUser", "Returns a user, with their tenants.", () => ({
      200: dataOf(userWithTenants),
      path: ofUser,
    })),
    ...serve(users.get, (c, data) => c.json({ data })),
  )
  .patch(
    "/:user",
    describeRoute("updatePlatformUser", "Changes a user's name, address, `externalId` or verification.", () => ({
      200: dataOf(userRecord),
      errors: ["CONFLICT", "EMAIL_TAKEN"],
      path: ofUser,
      description: "A new address is unverified unless you say otherwise, and links mailed to the former one end.",
    })),
    ...serve(users.update, (c, data) => c.json({ data })),
  )
  .post(
    "/:user/suspend",
    describeRoute(
      "suspendPlatformUser",
      "Suspends a person: all sessions end, and logins and API keys are refused.",
      () => ({
        path: ofUser,
      }),
    ),
    ...serve(users.suspend, saying("Person suspended.")),
  )
  .post(
    "/:user/resume",
    describeRoute("resumePlatformUser", "Lets a suspended person sign in again.", () => ({
      path: ofUser,
    })),
    ...serve(users.resume, saying("Person resumed.")),
  )
  .post(
    "/:user/sessions/revoke",
    describeRoute("revokePlatformSessions", "Ends all sessions of a person, in all tenants.", () => ({
      path: ofUser,
    })),
    ...serve(users.revokeSessions, saying("All sessions ended.")),
  )
  .post(
    "/:user/mails",
    describeRoute(
      "mailPlatformUser",
      "Mails a person a link that verifies the address or resets the password.",
      () => ({
        200: says("Mail queued.", "Email already verified."),
        errors: ["SERVICE_UNAVAILABLE"],
        path: ofUser,
      }),
    ),
    ...serve(users.mail, (c, message) => c.json({ message })),
  );

export const platformTenantRoutes = new Hono<AppEnv>().route("/:tenant/members", memberRoutes).route("/", tenantRoutes);
export const platformUserRoutes = userRoutes;
