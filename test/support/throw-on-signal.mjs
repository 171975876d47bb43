// Loaded into a process of ours with --import: makes it fail as a bug would, when a test sends SIGUSR2.
process.on('SIGUSR2', () => {
  if (process.env.TEST_FAULT === 'rejection') void Promise.reject(new Error('A fault of the test.'))
  else throw new Error('A fault of the test.', { cause: new Error('Its cause.') })
})
