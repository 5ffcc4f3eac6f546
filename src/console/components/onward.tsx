/** Where people go on after a page to which no app has sent them. */
import { A, Say } from "./mount";

export interface Way {
  name: string;
  url: string;
}

/** The links onward; in the console, which has none, the link to its sign-in. */
export const Onward = ({ ways }: { ways: readonly Way[] }) =>
  ways.length === 0 ? (
    <p>
      <A to="/sign-in">
        <Say of="signIn.submit" />
      </A>
    </p>
  ) : (
    <>
      <p>
        <Say of="onward.close" />
      </p>
      <ul>
        {ways.map(({ name, url }) => (
          <li>
            <a href={url}>
              <Say of="onward.goTo" values={{ app: name }} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
