-- The runtime of tools is booked like a model call, with the kind 'tools' and a cost of 0. The program defines the kinds:
-- a check in the database would have to be replaced for every new kind, while replicas of two versions write to it.
ALTER TABLE model_calls DROP CONSTRAINT model_calls_kind_check;
