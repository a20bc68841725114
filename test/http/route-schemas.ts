/** The schemas of all routes of the service, and every place in them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { CleanupScope } from '#test/cleanup.ts';
import { buildTestApp } from '#test/test-app.ts';

export async function listRoutesWithSchemas(owner: CleanupScope): Promise<RouteOptions[]> {
  return (await listRoutes(owner)).filter(({ schema }) => schema);
}

/** Lists one route for each method. */
export async function listRoutes(owner: CleanupScope): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const listen = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance };
    app.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) if (method !== 'HEAD') routes.push({ ...route, method });
    });
  };
  subscribe('fastify.initialization', listen);
  await buildTestApp(owner);
  unsubscribe('fastify.initialization', listen);
  return routes;
}

export interface Schema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface SchemaPlace {
  /** A number means the first item of a list. */
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}

export function listSchemaPlaces(schema: Schema = {}, path: SchemaPlace['path'] = []): SchemaPlace[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], content = {} } = schema;
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([name, inner]) => listSchemaPlaces(inner, [...path, name])),
    ...(items ? listSchemaPlaces(items, [...path, 0]) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((inner) => listSchemaPlaces(inner, path)),
    ...Object.values(content).flatMap(({ schema: inner }) => listSchemaPlaces(inner, path)),
  ];
}
