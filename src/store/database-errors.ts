/** Remembers which errors came from the database: elsewhere in the service the same code means something else. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely';

export interface DatabaseErrorMarker {
  readonly mark: (dialect: Dialect) => Dialect;
  readonly isOwn: (error: unknown) => boolean;
}

export function createDatabaseErrorMarker(): DatabaseErrorMarker {
  const own = new WeakSet<object>();
  const markErrors = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (typeof error === 'object' && error !== null) own.add(error);
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
    isOwn: (error) => typeof error === 'object' && error !== null && own.has(error),
  };
}

type Marking = <Result>(work: Promise<Result>) => Promise<Result>;

function createMarkingDriver(driver: Driver, marking: Marking): Driver {
  const wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const inner = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const wrapConnection = (connection: DatabaseConnection): DatabaseConnection => {
    const known = wrapped.get(connection);
    if (known) return known;
    const outer: DatabaseConnection = {
      executeQuery: <Row>(query: CompiledQuery) => marking(connection.executeQuery<Row>(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
    wrapped.set(connection, outer);
    inner.set(outer, connection);
    return outer;
  };
  const unwrapConnection = (connection: DatabaseConnection) => inner.get(connection) ?? connection;
  return {
    init: () => marking(driver.init()),
    acquireConnection: async () => wrapConnection(await marking(driver.acquireConnection())),
    beginTransaction: (connection, settings) =>
      marking(driver.beginTransaction(unwrapConnection(connection), settings)),
    commitTransaction: (connection) => marking(driver.commitTransaction(unwrapConnection(connection))),
    rollbackTransaction: (connection) => marking(driver.rollbackTransaction(unwrapConnection(connection))),
    releaseConnection: (connection) => driver.releaseConnection(unwrapConnection(connection)),
    destroy: () => driver.destroy(),
  };
}
