/** Whether a listing is of the demo marketplace, which each installation serves on an address of its own machine. */
export const isDemo = (url: string): boolean => /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url)
