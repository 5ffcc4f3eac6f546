/**
 * The calls that one request makes to D1, to Durable Objects and to queues, kept and made again without anything else:
 * what the request cannot do without.
 */

/** Each call as a function of the environment and of what renews a value. */
let calls = [];
let isKeeping = false;

export function keepCalls() {
  calls = [];
  isKeeping = true;
}

function keep(call) {
  if (isKeeping) calls.push(call);
}

export const keepTrip = (statements) =>
  keep(({ DB }, renewed) =>
    DB.batch(statements.map(({ text, values }) => DB.prepare(text).bind(...values.map(renewed)))),
  );

/** The environment with objects and queues whose calls are kept. */
export const kept = (env) =>
  Object.fromEntries(Object.entries(env).map(([name, binding]) => [name, keptBinding(name, binding)]));

function keptBinding(name, binding) {
  if (typeof binding?.idFromName === "function") return keptObjects(name, binding);
  if (typeof binding?.sendBatch === "function") {
    return methodsOf(binding, (method, given) => keep((env, renewed) => env[name][method](...renewed(given))));
  }
  return binding;
}

function keptObjects(name, namespace) {
  const keptStub = (stub) =>
    methodsOf(stub, (method, given) => keep((env, renewed) => env[name].get(stub.id)[method](...renewed(given))));
  return new Proxy(namespace, {
    get(target, property) {
      if (property === "get" || property === "getByName") return (...given) => keptStub(target[property](...given));
      const value = target[property];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const methodsOf = (target, note) =>
  new Proxy(target, {
    get(_, method) {
      if (typeof target[method] !== "function") return target[method];
      return (...given) => {
        note(method, given);
        return target[method](...given);
      };
    },
  });

/** Makes the kept calls again, one after the other. Another id takes the place of `madeId`, which the request has made. */
export async function replay(env, madeId) {
  isKeeping = false;
  const id = newIdLike(madeId);
  const renewed = (value) =>
    madeId === "" || value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(madeId, id));
  for (const call of calls) await call(env, renewed);
  return calls.length;
}

/** The same time and another random part: its rows lie beside each other, as those of events that follow each other. */
const newIdLike = (id) => id.slice(0, 15) + crypto.randomUUID().slice(15);
