/** The API keys that end with a membership or an account, before it is ended. */

export interface NamedKey {
  name: string;
  prefix: string;
  /** Where, if it is not the present tenant. */
  tenantName?: string;
}

/** Nothing without keys. */
export const EndingKeys = ({ keys }: { keys: readonly NamedKey[] }) =>
  keys.length > 0 && (
    <>
      <p>{keys.length === 1 ? "This API key ends:" : `These ${keys.length} API keys end:`}</p>
      <ul>
        {keys.map(({ name, prefix, tenantName }) => (
          <li>
            {name} <code>{prefix}</code>
            {tenantName && ` in ${tenantName}`}
          </li>
        ))}
      </ul>
      <p class="small muted">
        If a system uses one, first give it an API key that belongs to the tenant: it keeps working when people leave.
      </p>
    </>
  );
