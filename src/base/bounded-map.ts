/** What an isolate remembers across its invocations. It may be lost at any time: correctness never depends on it. */

/** A map of at most `most` entries. When it is full, a new one takes the place of the one that was set longest ago. */
export class BoundedMap<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    this.delete(key);
    const [oldest] = this.size >= this.most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
