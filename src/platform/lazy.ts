/** A value that is loaded at the first call and shared by all later ones; after a failure the next call tries again. */
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
