import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import { clientOf } from './client.ts';

/** A module whose name or file only the run knows; one with a constant name that was not found is a library. */
export function loadsCode(name: string, last: string, call: Call): string | undefined {
  const isNamed = name === 'importlib.import_module' || name === '__import__' || name === 'importlib.__import__';
  const loads = isNamed
    ? plainText(call.positional[0]) === undefined
    : last === 'exec_module' || last === 'load_module';
  return loads ? 'it runs Python code whose file is known only when it runs' : undefined;
}

/** A store whose data is no table of SQL: what goes in and out of it is not followed. */
export function usesStore(name: string, self: Value | undefined): string | undefined {
  const type = self === undefined ? name : clientOf(self)?.type;
  const store = stores.exec(type ?? '')?.[1];
  return store === undefined ? undefined : `what it reads and writes through ${store} is not followed`;
}

const stores =
  /^(?:airflow\.providers\.(?:apache\.)?)?(neo4j|py2neo|mongo|pymongo|motor|mongoengine|elasticsearch|opensearch|opensearchpy|redis|couchdb|couchbase|arango|influxdb|influxdb_client|weaviate|qdrant|qdrant_client|pinecone|pymilvus|chromadb|google\.cloud\.firestore|firebase_admin|gspread|pysolr|typesense|meilisearch)\b(?!\.(?:exceptions|errors|bulk_write_errors)\b)/;
