export function Welcome() {
  return <h1 className="text-2xl font-semibold">What shall we work on?</h1>;
}
