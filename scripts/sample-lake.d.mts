/** See sample-lake.mjs. */
export declare const lakeNow: string;
export declare function sampleLake(events?: number): readonly string[];
export declare const lateEvents: string;
