/** `server.recordAnalytics` of Harper: booleans are counted, numbers become distributions. */
export type RecordAnalytics = (
  value: number | boolean,
  metric: string,
  path?: string,
  method?: string,
  type?: string,
) => void;
