/** See spark-server.mjs. */
export interface SparkServer {
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}
export declare function startSpark(folder: string): Promise<SparkServer>;
