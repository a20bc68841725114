/** Calls that wait, in a line for each caller: one of each in turn, however many a caller has. */
export class CallerTurns<Call extends { readonly caller: string }> {
  /** The caller whose turn is next comes first. */
  readonly #lines = new Map<string, Call[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(call: Call): void {
    const line = this.#lines.get(call.caller);
    if (line) line.push(call);
    else this.#lines.set(call.caller, [call]);
    this.#size += 1;
  }

  take(): Call | undefined {
    const [next] = this.#lines;
    if (!next) return undefined;
    const [caller, line] = next;
    const call = line.shift();
    this.#size -= 1;
    this.#lines.delete(caller);
    if (line.length > 0) this.#lines.set(caller, line);
    return call;
  }

  delete(call: Call): void {
    const left = this.#lines.get(call.caller)?.filter((one) => one !== call) ?? [];
    if (left.length > 0) this.#lines.set(call.caller, left);
    else this.#lines.delete(call.caller);
    this.#size -= 1;
  }

  list(): Call[] {
    return [...this.#lines.values()].flat();
  }
}
