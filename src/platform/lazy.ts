/** A value that its first reader loads and all others share; a failure is forgotten, so that the next one tries again. */
export type Lazy<Value> = () => Promise<Value>;

export function createLazy<Value>(load: () => Promise<Value>): Lazy<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
