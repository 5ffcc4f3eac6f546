/** The tenant's members and its open invitations. */

import { type Role, roleNames, roleText } from "../../base/schemas/roles";
import type { NewInvitation } from "../../identity/invitations/store";
import type { MemberRow as Member } from "../../identity/members/list-store";
import { withQuery } from "../components/address";
import { ActionButton, GetForm, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { ConfirmationPage } from "../components/confirmation-page";
import { Badge, Card, Time } from "../components/display";
import { EndingKeys, type NamedKey } from "../components/ending-keys";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { Select, TextField } from "../components/fields";
import { List } from "../components/list";
import { A, Say, useTexts } from "../components/mount";
import { type Left, Staying } from "./left";

interface MemberSearch {
  q: string;
  /** Whether it is the first page. */
  isFirst: boolean;
  nextCursor: string | null;
}

interface PeopleProps {
  members: readonly Member[];
  search: MemberSearch;
  invitations: readonly NewInvitation[];
  /** The current user and the roles that they can give; null when they can only read. */
  manage: { userId: string; roles: readonly Role[] } | null;
  values: { email: string; role: string };
}

const optionsOf = (roles: readonly Role[]) => roles.map((role) => [role, role] as const);

export const People = ({ members, search, invitations, manage, values }: PeopleProps) => (
  <>
    <h1>People</h1>
    <FailureBanner />
    <Card id="members" title="Members">
      {(search.q !== "" || !search.isFirst || search.nextCursor !== null) && <Search q={search.q} />}
      <List
        of={members}
        row={(member) => <MemberRow member={member} manage={manage} />}
        empty={useTexts().say("portal.nobodyFound")}
      />
      <Pages {...search} />
      <Roles />
    </Card>
    <div class="columns">
      <Card id="invitations" title="Open invitations">
        <List
          of={invitations}
          row={(invitation) => <InvitationRow invitation={invitation} mayRevoke={manage !== null} />}
          empty="No open invitations"
        />
      </Card>
      {manage && (
        <Card id="invite" title="Invite someone">
          <PostForm action="/people/invitations">
            <TextField name="email" label="Email" type="email" value={values.email} required />
            <Select name="role" label="Role" value={values.role} options={optionsOf(manage.roles)} />
            <SubmitButton>Send invitation</SubmitButton>
          </PostForm>
        </Card>
      )}
    </div>
  </>
);

/** Shown where there is more than one page: everybody else sees all members at a glance. */
const Search = ({ q }: { q: string }) => (
  <search>
    <GetForm class="filters" action="/people">
      <TextField name="q" label={useTexts().say("portal.nameOrEmail")} type="search" value={q} />
      <SubmitButton kind="plain">
        <Say of="portal.search" />
      </SubmitButton>
    </GetForm>
  </search>
);

const Pages = ({ q, isFirst, nextCursor }: MemberSearch) => (
  <p class="row">
    {(q !== "" || !isFirst) && (
      <A to="/people">
        <Say of="portal.showAll" />
      </A>
    )}
    {nextCursor !== null && (
      <A to={withQuery("/people", { q, cursor: nextCursor })}>
        <Say of="portal.nextPage" />
      </A>
    )}
  </p>
);

const Roles = () => (
  <details class="section">
    <summary>What each role may do</summary>
    <FactList facts={roleNames().map((role) => [role, roleText(role)])} />
  </details>
);

/** Only owners can change owners. For everybody else the row of an owner has no controls. */
function MemberRow({ member, manage }: { member: Member; manage: PeopleProps["manage"] }) {
  const { userId, email, name, role, joinedAt } = member;
  const mayChange = manage?.roles.includes(role);
  return (
    <li>
      <div>
        <strong>{name ?? email}</strong> {userId === manage?.userId && <span class="muted">(you)</span>}
        <div class="small muted">
          {name && `${email}, `}joined <Time at={joinedAt} />
        </div>
      </div>
      {manage && mayChange ? (
        <div class="row">
          <PostForm action={`/people/${userId}/role`} class="inline">
            <RoleSelect member={member} roles={manage.roles} />
            <SubmitButton kind="plain" label={`Change the role of ${email}`}>
              Change
            </SubmitButton>
          </PostForm>
          <LinkButton to={`/people/${userId}/remove`} kind="danger">
            Remove
          </LinkButton>
        </div>
      ) : (
        <Badge tone="calm">{role}</Badge>
      )}
    </li>
  );
}

const RoleSelect = ({ member, roles }: { member: Member; roles: readonly Role[] }) => (
  <select name="role" aria-label={`Role of ${member.email}`}>
    {roles.map((role) => (
      <option value={role} selected={role === member.role}>
        {role}
      </option>
    ))}
  </select>
);

const InvitationRow = ({ invitation, mayRevoke }: { invitation: NewInvitation; mayRevoke: boolean }) => (
  <li>
    <div>
      <strong>{invitation.email}</strong> <Badge tone="calm">{invitation.role}</Badge>
      <div class="small muted">
        Expires <Time at={invitation.expiresAt} />
      </div>
    </div>
    {mayRevoke && (
      <ActionButton
        action={`/people/invitations/${invitation.id}/revoke`}
        kind="danger"
        label={`Revoke the invitation for ${invitation.email}`}
      >
        Revoke
      </ActionButton>
    )}
  </li>
);

/** Asks again for a change that had to wait until the session was confirmed. */
export const ChangeRole = ({ member: { userId, name, email, role: former }, role }: { member: Member; role: Role }) => (
  <ConfirmationPage of="role" name={name ?? email} action={`/people/${userId}/role`} cancel="/people">
    <p>
      From {former} to {role}.
    </p>
    <input type="hidden" name="role" value={role} />
  </ConfirmationPage>
);

interface RemoveProps {
  member: Member;
  keys: readonly NamedKey[];
  left: Left;
}

export const RemoveMember = ({ member: { userId, name, email }, keys, left }: RemoveProps) => (
  <ConfirmationPage of="member" name={name ?? email} action={`/people/${userId}/remove`} cancel="/people">
    <EndingKeys keys={keys} />
    <Staying left={left} />
  </ConfirmationPage>
);
