/** Runs work once for all callers that request it concurrently with the same key; all get the same result. */
export type SingleFlight = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createSingleFlight(): SingleFlight {
  const pending = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>) => {
    const current = pending.get(key);
    if (current) return current as Promise<Result>;
    const result = work().finally(() => pending.delete(key));
    pending.set(key, result);
    return result;
  };
}
