/** Suggestions for the issue type of an incident, which is free text. */
export const issueTypes = [
  'authentication',
  'certificate',
  'configuration',
  'database',
  'deployment',
  'disk',
  'hardware',
  'memory',
  'network',
  'performance',
  'security',
  'service down',
  'storage',
  'upstream',
] as const
