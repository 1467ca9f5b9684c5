export function Welcome() {
  return (
    <h1 className="text-center text-2xl font-semibold text-balance">What should we work on?</h1>
  );
}
