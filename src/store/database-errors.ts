/** Marks errors that came from the database, because other parts of the service use the same error codes. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely';

export interface DatabaseErrorMarker {
  readonly mark: (dialect: Dialect) => Dialect;
  readonly isMarked: (error: unknown) => boolean;
}

export function createDatabaseErrorMarker(): DatabaseErrorMarker {
  const marked = new WeakSet<object>();
  const markErrors = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (typeof error === 'object' && error !== null) marked.add(error);
      throw error;
    }
  };
  return {
    mark: (dialect) => ({
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => createMarkingDriver(dialect.createDriver(), markErrors),
    }),
    isMarked: (error) => typeof error === 'object' && error !== null && marked.has(error),
  };
}

type ErrorMarking = <Result>(work: Promise<Result>) => Promise<Result>;

function createMarkingDriver(driver: Driver, markErrors: ErrorMarking): Driver {
  const wrappers = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const originals = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const wrapConnection = (connection: DatabaseConnection): DatabaseConnection => {
    const existing = wrappers.get(connection);
    if (existing) return existing;
    const wrapper: DatabaseConnection = {
      executeQuery: <Row>(query: CompiledQuery) => markErrors(connection.executeQuery<Row>(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
    wrappers.set(connection, wrapper);
    originals.set(wrapper, connection);
    return wrapper;
  };
  const unwrapConnection = (connection: DatabaseConnection) => originals.get(connection) ?? connection;
  return {
    init: () => markErrors(driver.init()),
    acquireConnection: async () => wrapConnection(await markErrors(driver.acquireConnection())),
    beginTransaction: (connection, settings) =>
      markErrors(driver.beginTransaction(unwrapConnection(connection), settings)),
    commitTransaction: (connection) => markErrors(driver.commitTransaction(unwrapConnection(connection))),
    rollbackTransaction: (connection) => markErrors(driver.rollbackTransaction(unwrapConnection(connection))),
    releaseConnection: (connection) => driver.releaseConnection(unwrapConnection(connection)),
    destroy: () => driver.destroy(),
  };
}
