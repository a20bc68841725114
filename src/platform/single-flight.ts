/** Joins callers who ask for the same work at the same moment: one does it, all get its result. */
export type SingleFlight = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createSingleFlight(): SingleFlight {
  const underWay = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>) => {
    const known = underWay.get(key);
    if (known) return known as Promise<Result>;
    const begun = work().finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}
